export function Recording() {
  return <p>…</p>;
}
