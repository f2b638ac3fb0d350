export function WhoPage() {
  return <p>…</p>;
}
