/** Matches errors about times of certificates and S3 requests of Go, Node, AWS, MinIO, Ceph. */
const WRONG_TIME =
  /x509: certificate has expired or is not yet valid|^certificate (has expired|is not yet valid)$|RequestTimeTooSkewed|difference between the request time and the (current|server's) time is too large/i
/** Matches an expired certificate, which is more frequent than a clock that is ahead. */
const EXPIRED = /x509: certificate has expired.* is after |^certificate has expired$/
/** Matches the refusal of restic's first request to S3, HEAD, which has no reason. */
const DENIED = /\bStat: Access Denied/

/** Returns whether a message says that the time of this machine is not that of the storage. */
export const isClockError = (message: string): boolean => WRONG_TIME.test(message)

/** Returns whether a message may be about the time. */
export const isAccessDenied = (message: string): boolean => DENIED.test(message)

/** Returns what to do if a message says, or may say, that the clock of this machine is wrong. */
export function clockAdvice(message: string, machine = 'this server'): string | undefined {
  const clock = `the clock of ${machine}`
  const correct = `correct ${clock} (timedatectl shows it)`
  if (isClockError(message)) {
    return EXPIRED.test(message)
      ? `The certificate of the storage has expired, or ${clock} is ahead: renew the certificate, or ${correct}`
      : `The clock of ${machine} and the storage do not agree on the time: ${correct}`
  }
  if (!isAccessDenied(message)) return undefined
  return `The storage refused ${machine}: check its credentials and permissions, and ${clock} (timedatectl shows it)`
}

/** Returns the message after the advice. */
export function withClockAdvice(message: string): string {
  const advice = clockAdvice(message)
  return advice === undefined ? message : `${advice} (${message})`
}
