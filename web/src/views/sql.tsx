export function Sql() {
  return <p>…</p>;
}
