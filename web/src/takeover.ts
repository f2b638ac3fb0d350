// A report is complete without scripts. Where they run, the page takes its place on the screen; paper keeps the report.

const REPORT_STYLE = "heldup-report-style";
const PAGE_STYLE = "heldup-page-style";
/** The fragment that opens the report as one page. */
export const ONE_PAGE = "#one-page";

function media(id: string, value: string): void {
  document.getElementById(id)?.setAttribute("media", value);
}

/** Shows the page on the screen. */
export function showPage(): void {
  media(REPORT_STYLE, "print");
  media(PAGE_STYLE, "screen");
}

/** Opens the report anew: as one page, or with the page in its place. */
export function reopen(fragment: string): void {
  location.hash = fragment;
  location.reload();
}

/** A line above the report that leads to the page. */
export function offerPage(): void {
  const report = document.getElementById("report");
  if (!report) return;
  const line = document.createElement("p");
  line.className = "second";
  const link = document.createElement("a");
  link.href = "#/";
  link.textContent = "open with charts to point at";
  link.addEventListener("click", (event) => {
    event.preventDefault();
    reopen("#/");
  });
  line.append(link);
  report.prepend(line);
}
