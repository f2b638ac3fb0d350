export function Overview() {
  return <p>…</p>;
}
