/** The last line that `hosting-agent mail-try` prints: what is after it are the words of the relay. */
export const TAKEN = 'The relay took the message: '
export const NOT_TAKEN = 'The relay did not take the message: '
