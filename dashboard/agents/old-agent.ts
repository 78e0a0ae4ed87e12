import { conflict, ServiceError } from '#shared/errors.ts'

/**
 * The error of a call that earlier agents lack: 409 with the advice to upgrade one of them, otherwise
 * `error` itself. An agent answers 404 for an unknown site as for an unknown call; but one that knows
 * the call refuses it without a body (`bare`) for another reason. `lacks` completes "The agent of this
 * server …".
 */
export async function refuseOld(
  error: unknown,
  lacks: string,
  bare: () => Promise<unknown>,
): Promise<never> {
  if (!isNotFound(error)) throw error
  const other: unknown = await bare().catch((reason: unknown) => reason)
  if (!isNotFound(other)) throw error
  throw conflict(`The agent of this server ${lacks}: upgrade it`)
}

const isNotFound = (error: unknown): boolean =>
  error instanceof ServiceError && error.code === 'not_found'
