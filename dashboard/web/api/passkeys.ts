import { startAuthentication, startRegistration } from '@simplewebauthn/browser'
import { queryOptions } from '@tanstack/react-query'
import type { FactorRule, PasskeyOptions } from '#shared/kernel/api/passkeys.ts'
import { call } from './client.ts'
import { withConfirmation } from './password-confirmation.ts'
import { noteSignIn } from './session.ts'
import { confirmPassword } from './wp-login.ts'

export const passkeysQuery = queryOptions({
  queryKey: ['passkeys'],
  queryFn: () => call('GET /api/auth/passkeys'),
})

export const secondFactorQuery = queryOptions({
  queryKey: ['second-factor'],
  queryFn: async () => (await call('GET /api/auth/second-factor')).second_factor,
})

/** The reasons why a browser returns no passkey, by the name of its error (WebAuthn Level 3). */
const REASONS: Readonly<Record<string, string>> = {
  NotAllowedError: 'No passkey was used: it was cancelled, or took too long. Try again.',
  AbortError: 'No passkey was used: it was cancelled. Try again.',
  InvalidStateError: 'This device or password manager has a passkey of your account already.',
  SecurityError:
    'Passkeys work only at the public address of this dashboard (PUBLIC_URL). Open it there.',
  ConstraintError: 'This device cannot verify you with a PIN, a fingerprint or your face.',
  NotSupportedError:
    'This device supports none of the kinds of passkeys that the dashboard accepts.',
}

async function answered<T>(answer: Promise<T>): Promise<T> {
  return answer.catch((error: unknown) => {
    const reason = error instanceof Error ? REASONS[error.name] : undefined
    throw reason === undefined ? error : new Error(reason, { cause: error })
  })
}

/** Asks the browser for a passkey, which its user unlocks. */
async function proofFor({ allowCredentials, ...options }: PasskeyOptions) {
  const optionsJSON = { ...options, allowCredentials: [...allowCredentials] }
  const { id, rawId, type, response } = await answered(startAuthentication({ optionsJSON }))
  return { id, rawId, type, response: { ...response }, clientExtensionResults: {} }
}

/** Signs in with a passkey: alone, or after the password of an account. */
export async function signInWithPasskey(credentials?: { email: string; password: string }) {
  const passkey = await proofFor(await call('POST /api/auth/login/passkey/options'))
  const { user } = credentials
    ? await call('POST /api/auth/login', { body: { ...credentials, passkey } })
    : await call('POST /api/auth/login/passkey', { body: { passkey } })
  noteSignIn()
  return user
}

/** Confirms with a passkey what would otherwise need the password. */
export async function confirmWithPasskey(): Promise<void> {
  const passkey = await proofFor(await call('POST /api/auth/confirm/options'))
  await confirmPassword({ passkey })
}

/** Adds a passkey, which the browser makes with a device, a security key or a password manager. */
export async function addPasskey(name: string) {
  const optionsJSON = await withConfirmation(() => call('POST /api/auth/passkeys/options'))
  const { id, rawId, type, response } = await answered(startRegistration({ optionsJSON }))
  const { clientDataJSON, attestationObject, transports = [] } = response
  const credential = {
    ...{ id, rawId, type, clientExtensionResults: {} },
    response: { clientDataJSON, attestationObject, transports },
  }
  return withConfirmation(() => call('POST /api/auth/passkeys', { body: { name, credential } }))
}

export const renamePasskey = (passkey_id: string, name: string) =>
  call('PATCH /api/auth/passkeys/:passkey_id', { params: { passkey_id }, body: { name } })

export const removePasskey = (passkey_id: string) =>
  withConfirmation(() => call('DELETE /api/auth/passkeys/:passkey_id', { params: { passkey_id } }))

/** Sets which accounts need a second factor. */
export const changeFactorRule = (required_for: FactorRule) =>
  withConfirmation(() => call('PUT /api/auth/second-factor', { body: { required_for } }))
