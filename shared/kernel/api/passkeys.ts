import { strictObject, z } from 'zod'
import { oneOf, required } from '#shared/kernel/fields.ts'
import { body } from './body.ts'
import { Timestamp } from './parts.ts'

/** Returns the schema of bytes in base64url. The JSON of WebAuthn Level 3 has names in camel case. */
const encoded = (most: number) =>
  z
    .string('Must be base64url')
    .max(most, `Must have at most ${most} characters`)
    .regex(/^[\w-]+$/, 'Must be base64url')

/** A credential id has at most 1023 bytes (WebAuthn Level 3, 4). */
const CredentialId = encoded(1_364)
const type = z.literal('public-key', 'Must be public-key')
const extensions = z.looseObject({}, 'Must be a JSON object')
const attachment = z.enum(['cross-platform', 'platform']).exactOptional()
const transports = z.array(z.string().max(32)).max(16).exactOptional()

/** The JSON of the credential that `navigator.credentials.get()` returns. */
export const PasskeyProof = z
  .looseObject(
    {
      id: CredentialId,
      rawId: CredentialId,
      type,
      response: z.looseObject(
        {
          clientDataJSON: encoded(4_096),
          authenticatorData: encoded(4_096),
          signature: encoded(2_048),
          userHandle: encoded(128).exactOptional(),
        },
        'Must be a JSON object',
      ),
      clientExtensionResults: extensions,
      authenticatorAttachment: attachment,
    },
    'Must be the JSON of a passkey',
  )
  .meta({
    id: 'PasskeyProof',
    description: 'What a browser answers to the options of a passkey, as JSON (WebAuthn Level 3).',
  })
export type PasskeyProof = z.output<typeof PasskeyProof>

/** The JSON of the credential that `navigator.credentials.create()` returns. */
const NewCredential = z
  .looseObject(
    {
      id: CredentialId,
      rawId: CredentialId,
      type,
      response: z.looseObject(
        {
          clientDataJSON: encoded(4_096),
          attestationObject: encoded(65_536),
          transports,
        },
        'Must be a JSON object',
      ),
      clientExtensionResults: extensions,
      authenticatorAttachment: attachment,
    },
    'Must be the JSON of a passkey',
  )
  .meta({
    id: 'NewCredential',
    description: 'What a browser answers to the options of a new passkey, as JSON.',
  })

const Descriptor = strictObject({
  id: z.string(),
  type: z.literal('public-key'),
  transports: z.array(z.string()),
})

export const PasskeyOptions = strictObject({
  rpId: z.string(),
  challenge: z.string(),
  timeout: z.int().positive(),
  userVerification: z.literal('required'),
  allowCredentials: z.array(Descriptor).describe('Empty: any passkey of this dashboard.'),
}).meta({
  id: 'PasskeyOptions',
  description:
    'The options for `navigator.credentials.get()`, as JSON. They are valid for five minutes.',
})
export type PasskeyOptions = z.infer<typeof PasskeyOptions>

export const NewPasskeyOptions = strictObject({
  rp: strictObject({ id: z.string(), name: z.string() }),
  user: strictObject({ id: z.string(), name: z.string(), displayName: z.string() }),
  challenge: z.string(),
  pubKeyCredParams: z.array(strictObject({ type: z.literal('public-key'), alg: z.int() })),
  timeout: z.int().positive(),
  attestation: z.literal('none'),
  excludeCredentials: z.array(Descriptor),
  authenticatorSelection: strictObject({
    residentKey: z.literal('required'),
    requireResidentKey: z.literal(true),
    userVerification: z.literal('required'),
  }),
}).meta({
  id: 'NewPasskeyOptions',
  description:
    'The options for `navigator.credentials.create()`, as JSON. They are valid for five minutes.',
})
export type NewPasskeyOptions = z.infer<typeof NewPasskeyOptions>

const NAME_RULE = 'Must have 1 to 64 characters'
const PasskeyName = z
  .string(required('Name'))
  .trim()
  .min(1, NAME_RULE)
  .max(64, NAME_RULE)
  .refine((name) => !/\p{C}/u.test(name), 'Must not contain control characters')

export const AddPasskey = body({ name: PasskeyName, credential: NewCredential }).meta({
  id: 'AddPasskey',
})
export type AddPasskey = z.output<typeof AddPasskey>

export const RenamePasskey = body({ name: PasskeyName }).meta({ id: 'RenamePasskey' })

export const PasskeyLogin = body({ passkey: PasskeyProof }).meta({ id: 'PasskeyLogin' })

export const Passkey = strictObject({
  id: z.string(),
  name: z.string(),
  created_at: Timestamp,
  last_used_at: Timestamp.nullable(),
  backed_up: z.boolean().describe('Whether a password manager keeps a copy of it.'),
}).meta({ id: 'Passkey', description: 'A passkey of an account.' })
export type Passkey = z.infer<typeof Passkey>

export const OwnPasskeys = strictObject({
  passkeys: z.array(Passkey),
  origin: z.string().nullable().describe('The only address with which they work; null: none does.'),
  problem: z.string().nullable().describe('Why passkeys are off; null: they are on.'),
}).meta({ id: 'OwnPasskeys' })
export type OwnPasskeys = z.infer<typeof OwnPasskeys>

/** The accounts that need a second factor; `admins` are those with the role admin or owner. */
export const FACTOR_RULES = ['nobody', 'admins', 'everybody'] as const
export type FactorRule = (typeof FACTOR_RULES)[number]

export const ChangeFactorRule = body({
  required_for: oneOf(FACTOR_RULES).describe(
    'The accounts that need a second factor; admins: those with the role admin or owner.',
  ),
}).meta({ id: 'ChangeFactorRule' })

export const SecondFactor = strictObject({
  required_for: z.enum(FACTOR_RULES),
  required: z.boolean().describe('Whether the account of the caller needs one.'),
  present: z.boolean().describe('Whether it has one.'),
}).meta({
  id: 'SecondFactor',
  description: 'Which accounts need an authenticator app or a passkey beside the password.',
})
export type SecondFactor = z.infer<typeof SecondFactor>
