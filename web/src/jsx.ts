// What elements become: `h(tag, props, ...children)` is shorter in the bundle than calls with `children` as a property.
export { Fragment, h } from "preact";
