export function Experiments() {
  return <p>…</p>;
}
