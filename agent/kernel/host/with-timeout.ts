/** Returns the result of `work`, or throws the error of `late` if that takes longer. */
export function withTimeout<T>(ms: number, work: Promise<T>, late: () => Error): Promise<T> {
  const expired = Promise.withResolvers<never>()
  const timer = setTimeout(() => expired.reject(late()), ms)
  return Promise.race([work, expired.promise]).finally(() => clearTimeout(timer))
}
