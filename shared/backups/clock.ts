/** A certificate of another time, and the time of a request to S3, in the words of Go, Node, AWS, MinIO and Ceph. */
const WRONG_TIME =
  /x509: certificate has expired or is not yet valid|^certificate (has expired|is not yet valid)$|RequestTimeTooSkewed|difference between the request time and the (current|server's) time is too large/i
/** More frequent than a clock that is ahead. */
const EXPIRED = /x509: certificate has expired.* is after |^certificate has expired$/
/** The first request of restic to S3 is HEAD, whose refusal has no reason. */
const DENIED = /\bStat: Access Denied/

/** Whether a message says that the time of this machine is not that of the storage. */
export const isOfClock = (message: string): boolean => WRONG_TIME.test(message)

/** Whether a message may say so. */
export const isDenied = (message: string): boolean => DENIED.test(message)

/** What to do if a message says, or may say, that the clock of this machine is wrong. */
export function clockAdvice(message: string, machine = 'this server'): string | undefined {
  const clock = `the clock of ${machine}`
  const correct = `correct ${clock} (timedatectl shows it)`
  if (isOfClock(message)) {
    return EXPIRED.test(message)
      ? `The certificate of the storage has expired, or ${clock} is ahead: renew the certificate, or ${correct}`
      : `The clock of ${machine} and the storage do not agree on the time: ${correct}`
  }
  if (!isDenied(message)) return undefined
  return `The storage refused ${machine}: check its credentials and permissions, and ${clock} (timedatectl shows it)`
}

/** The message, after the advice. */
export function withClockAdvice(message: string): string {
  const advice = clockAdvice(message)
  return advice === undefined ? message : `${advice} (${message})`
}
