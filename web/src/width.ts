import type { RefObject } from "preact";
import { useLayoutEffect, useState } from "preact/hooks";

/** The width of an element, in whole pixels; 0 before it is known. */
export function useWidth(of: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const element = of.current;
    if (!element) return undefined;
    setWidth(Math.floor(element.clientWidth));
    const watching = new ResizeObserver(() => setWidth(Math.floor(element.clientWidth)));
    watching.observe(element);
    return () => watching.disconnect();
  }, []);
  return width;
}
