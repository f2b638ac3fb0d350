export function Stacks() {
  return <p>…</p>;
}
