export function Compare() {
  return <p>…</p>;
}
