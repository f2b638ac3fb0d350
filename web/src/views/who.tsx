import { WhoPart } from "../parts/whopart";

export function WhoPage() {
  return (
    <section aria-label="who">
      <WhoPart />
    </section>
  );
}
