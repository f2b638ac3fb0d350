export function Area() {
  return <p>…</p>;
}
