// What stands around every view: where one is, the vital signs, the strip of all that was recorded.

import type { ComponentType } from "preact";
import type { ViewName } from "./address";
import { Header } from "./parts/header";
import { Keys } from "./parts/keys";
import { Failed } from "./parts/states";
import { Strip } from "./parts/strip";
import { TimePicker } from "./parts/time";
import { Toast } from "./parts/toast";
import { AskForToken } from "./parts/token";
import { Vitals } from "./parts/vitals";
import { address, open, state, viewError } from "./store";
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
      <Header />
      <Vitals />
      <Strip />
      <main id="main">
        {error ? <Failed error={error} /> : null}
        {state.value ? <View key={address.value.view} /> : null}
      </main>
      <Footer />
      {open.value === "keys" ? <Keys /> : null}
      {open.value === "time" ? <TimePicker /> : null}
      <Toast />
    </>
  );
}

function Footer() {
  const recorder = state.value?.recorder;
  const parts: string[] = [];
  if (recorder?.bytes_per_day) parts.push(`${(recorder.bytes_per_day / 1e9).toPrecision(2)} GB a day`);
  const overhead = recorder?.overhead_share;
  return (
    <footer class="foot">
      <span>{parts.join(" · ")}</span>
      {overhead === null || overhead === undefined ? null : (
        <span class="r">overhead {(overhead * 100).toPrecision(2)} % of a CPU</span>
      )}
    </footer>
  );
}
