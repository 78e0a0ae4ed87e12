/** What the dashboard cannot start without; the message says what to do. */
export class StartError extends Error {}
