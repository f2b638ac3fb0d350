// What JSX becomes: shorter than calls of the automatic runtime.
export { Fragment, h } from "preact";
