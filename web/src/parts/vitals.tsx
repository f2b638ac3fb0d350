export function Vitals() {
  return null;
}
