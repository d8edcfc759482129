/** Multiples of it, without their whole parts, lie evenly between 0 and 1, in no step that anything else has. */
export const GOLDEN_RATIO = (Math.sqrt(5) - 1) / 2;
