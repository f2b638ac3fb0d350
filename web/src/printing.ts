import { useEffect, useState } from "preact/hooks";

/** Whether the page is being printed: canvases are drawn as SVG then. */
export function usePrinting(): boolean {
  const [isPrinting, setPrinting] = useState(false);
  useEffect(() => {
    const print = window.matchMedia("print");
    const follow = () => setPrinting(print.matches);
    const begin = () => setPrinting(true);
    const end = () => setPrinting(false);
    print.addEventListener("change", follow);
    window.addEventListener("beforeprint", begin);
    window.addEventListener("afterprint", end);
    return () => {
      print.removeEventListener("change", follow);
      window.removeEventListener("beforeprint", begin);
      window.removeEventListener("afterprint", end);
    };
  }, []);
  return isPrinting;
}
