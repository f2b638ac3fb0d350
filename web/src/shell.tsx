// What stands around every view: where one is, the vital signs, the strip of all that was recorded.

import type { ComponentType } from "preact";
import type { ViewName } from "./address";
import { Header } from "./parts/header";
import { Keys } from "./parts/keys";
import { Segments } from "./parts/segments";
import { FocusPicker, SourcePicker } from "./parts/source";
import { Failed } from "./parts/states";
import { Strip } from "./parts/strip";
import { TimePicker } from "./parts/time";
import { Toast } from "./parts/toast";
import { AskForToken } from "./parts/token";
import { Vitals } from "./parts/vitals";
import { address, dropped, now, open, source, state, viewError } from "./store";
import { ONE_PAGE, reopen } from "./takeover";
import { bytes, duration, harmless, share } from "./text";
import { choose, THEMES, theme } from "./theme";
import { Area } from "./views/area";
import { Compare } from "./views/compare";
import { Experiments } from "./views/experiments";
import { FindingPage } from "./views/finding";
import { LifePage } from "./views/life";
import { Overview } from "./views/overview";
import { Recording } from "./views/recording";
import { Sql } from "./views/sql";
import { Stacks } from "./views/stacks";
import { WhoPage } from "./views/who";

const VIEWS: Record<ViewName, ComponentType> = {
  overview: Overview,
  finding: FindingPage,
  who: WhoPage,
  life: LifePage,
  area: Area,
  stacks: Stacks,
  compare: Compare,
  try: Experiments,
  sql: Sql,
  record: Recording,
};

export function Shell() {
  const View = VIEWS[address.value.view];
  const error = viewError.value;
  if (error?.status === 401) return <AskForToken wrong />;
  return (
    <>
      <a class="skip" href="#main">
        to the answer
      </a>
      <Header />
      <Vitals />
      <Strip />
      <main id="main" tabIndex={-1}>
        {dropped.value.length > 0 ? (
          <p class="note dim bidi" role="status">
            Left out of the address, since it is not here or not understood:{" "}
            {harmless(dropped.value.join(", "))}
          </p>
        ) : null}
        {error ? <Failed error={error} /> : null}
        {state.value ? <View key={address.value.view} /> : null}
      </main>
      <Footer />
      {open.value === "keys" ? <Keys /> : null}
      {open.value === "time" ? <TimePicker /> : null}
      {open.value === "source" ? <SourcePicker /> : null}
      {open.value === "focus" ? <FocusPicker /> : null}
      <Toast />
    </>
  );
}

/** What is kept, what that costs, and how the page looks. */
function Footer() {
  const known = state.value;
  const recorder = known?.recorder;
  const parts: string[] = [];
  if (known) parts.push(`recorded ${duration((now.value ?? known.all.until_ms) - known.all.since_ms)}`);
  if (recorder?.bytes_per_day) parts.push(`${bytes(recorder.bytes_per_day)} a day`);
  const overhead = recorder?.overhead_share ?? null;
  return (
    <footer class="foot">
      <span>{parts.join(", ")}</span>
      {known?.note ? <span class="bidi">{harmless(known.note)}</span> : null}
      <Segments class="r" label="light or dark" all={THEMES} chosen={theme.value} onChoose={choose} />
      {overhead === null ? null : <span>overhead {share(overhead)} of a CPU</span>}
      {source.value?.kind === "embedded" ? (
        <button type="button" class="l" onClick={() => reopen(ONE_PAGE)}>
          as one page
        </button>
      ) : null}
    </footer>
  );
}
