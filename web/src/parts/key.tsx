/** The key that does the same; not read aloud. */
export function Key({ name }: { name: string }) {
  return (
    <span class="kbd" aria-hidden="true">
      {name}
    </span>
  );
}
