/** The last line of `hosting-agent mail-try`, before the message of the relay. */
export const TAKEN = 'The relay took the message: '
export const NOT_TAKEN = 'The relay did not take the message: '
