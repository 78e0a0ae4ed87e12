/** A failure of the start; the message has the solution. */
export class StartError extends Error {}
