export function LifePage() {
  return <p>…</p>;
}
