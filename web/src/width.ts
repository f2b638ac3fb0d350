import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";

/** The width of an element, in whole pixels; 0 before it is known. */
export function useWidth(of: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(0);
  const watched = useRef<{ element: HTMLElement; by: ResizeObserver } | null>(null);
  // The element may be another one than before, or be gone for a while.
  useLayoutEffect(() => {
    const element = of.current;
    if (!element || watched.current?.element === element) return;
    watched.current?.by.disconnect();
    const look = () => {
      if (element.isConnected) setWidth(Math.floor(element.clientWidth));
    };
    look();
    const by = new ResizeObserver(look);
    by.observe(element);
    watched.current = { element, by };
  });
  useEffect(() => () => watched.current?.by.disconnect(), []);
  return width;
}
