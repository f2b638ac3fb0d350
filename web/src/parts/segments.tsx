/** One of a few. */
export function Segments<T extends string>({
  label,
  all,
  chosen,
  onChoose,
  class: name = "",
}: {
  label: string;
  all: readonly T[];
  chosen: T;
  onChoose: (one: T) => void;
  class?: string;
}) {
  return (
    <fieldset class={`seg ${name}`} aria-label={label}>
      {all.map((one) => (
        <button key={one} type="button" aria-pressed={one === chosen} onClick={() => onChoose(one)}>
          {one}
        </button>
      ))}
    </fieldset>
  );
}
