// What is wrong: the answer, where active time went, and who.

import { ActiveTime } from "../parts/classes";
import { Command } from "../parts/command";
import { Findings } from "../parts/findings";
import { Loading } from "../parts/states";
import { WhoPart } from "../parts/whopart";
import type { ExaminationDocument } from "../source/documents";
import type { Span } from "../source/source";
import { isLive, isLoading, now, span, state, view, viewError } from "../store";
import { glue, harmless, windowText } from "../text";

/** While live the chart goes on between two judgements. */
export function shownSpan(): Span | null {
  const shown = span.value;
  if (!shown || !isLive.value || now.value === null || now.value <= shown.until_ms) return shown;
  return { since_ms: now.value - (shown.until_ms - shown.since_ms), until_ms: now.value };
}

export function Overview() {
  const shown = shownSpan();
  // What was found in the window before is no answer to this one.
  const examination = (!isLoading.value && view.value?.examination) || null;
  if (!shown || (!examination && viewError.value)) return <Title />;
  return (
    <div class="cols">
      <section aria-label="findings">
        {examination ? (
          <>
            <Findings
              examination={examination}
              before={
                <>
                  <Judged window={shown} />
                  {isSampled(examination) ? <NotPermitted examination={examination} /> : null}
                </>
              }
            />
            {examination.host.method === "imported" && examination.ledger.classes.length === 0 ? (
              <Imported />
            ) : null}
          </>
        ) : (
          <>
            <Title />
            <Loading isLate height={250} />
          </>
        )}
      </section>
      <section aria-label="active time">
        <ActiveTime examination={examination} span={shown} />
      </section>
      <section class="full" aria-label="who">
        <WhoPart most={8} />
      </section>
    </div>
  );
}

/** Of a long window its end is judged; which part that is. */
function Judged({ window }: { window: Span }) {
  const judged = view.value?.span;
  if (!judged || judged.until_ms - judged.since_ms > 0.9 * (window.until_ms - window.since_ms)) return null;
  return <p class="dim gap">Judged, and added up by class: {windowText(judged)}, the end of this window.</p>;
}

function Title() {
  return (
    <div class="answer">
      <h1>What is wrong</h1>
    </div>
  );
}

const isSampled = ({ host: { method } }: ExaminationDocument) => method === "sampling" || method === "delays";

/** Without the rights to see waits: what is seen, and how to see more. */
function NotPermitted({ examination }: { examination: ExaminationDocument }) {
  const isLive = state.value?.live ?? false;
  const refused = examination.errors.find(({ where, what }) => /bpf/i.test(where) || /bpf/i.test(what));
  return (
    <div class="notpermitted">
      <p class="lead">
        {state.value?.sudo
          ? "Most waits are not visible to an ordinary user"
          : "Most waits are not measured here"}
      </p>
      <p class="dim bidi">
        {refused ? `${glue(refused.what)}. ` : ""}
        Shown are CPU time and the run queue of all processes, from the kernel’s counters. Waits for disks,
        memory and locks, and stacks, are not measured here.
      </p>
      {isLive ? (
        <div class="note">
          <h2>To see it</h2>
          <p>Start it as root</p>
          <Command command="sudo heldup serve" />
          <p>or record as root, and read as yourself</p>
          <Command command="sudo heldup record --for 10m -o ./archive && heldup serve ./archive" />
          <p>What is missing, and why</p>
          <Command command="heldup doctor" />
        </div>
      ) : null}
    </div>
  );
}

function Imported() {
  const name = state.value?.source.name;
  return (
    <div class="note later">
      <h2>No per-task waits in this recording</h2>
      <p class="dim bidi">
        {name ? `${harmless(name.split("/").pop() ?? name)} has ` : "It has "}
        what the machine did, not what tasks waited for. So there is no active time and no cause tree, and
        rules that need them are not checked.
      </p>
    </div>
  );
}
