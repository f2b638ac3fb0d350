export function FindingPage() {
  return <p>…</p>;
}
