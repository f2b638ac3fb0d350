export function TimePicker() {
  return null;
}
