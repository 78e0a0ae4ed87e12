import { AT } from '#dashboard/kernel/http/example-values.ts'

const CREDENTIAL = 'VkHOcTw0Sg6DRQkEQcSVVw'
const CHALLENGE = 'S3XbFyy2XBGxhTJYnbO8SQGTuvQ0AJCdfj-OhHlOnJ1zlWdPU6m8m7TVlW7sGhmyNtx3lIPo'
const PROOF = {
  id: CREDENTIAL,
  rawId: CREDENTIAL,
  type: 'public-key',
  response: {
    clientDataJSON: 'eyJ0eXBlIjoid2ViYXV0aG4uZ2V0In0',
    authenticatorData: 'SZYN5YgOjGh0NBcPZHZgW4_krrmihjLHmVzzuoMdl2MFAAAAAQ',
    signature: 'MEUCIQD1-CqNuAMQi5aMtQUOVD8xGQ',
    userHandle: 'u5nKqQ2cXl0bTeVhS8wYzA',
  },
  clientExtensionResults: {},
}
const OPTIONS = {
  rpId: 'control.example',
  challenge: CHALLENGE,
  timeout: 300_000,
  userVerification: 'required',
  allowCredentials: [],
}
const PASSKEY = {
  id: 'c3BhcmUgc2VjdXJpdHkga2V5',
  name: 'Security key',
  created_at: AT,
  last_used_at: AT,
  backed_up: false,
}

const NEW_CREDENTIAL = {
  id: CREDENTIAL,
  rawId: CREDENTIAL,
  type: 'public-key',
  response: {
    clientDataJSON: 'eyJ0eXBlIjoid2ViYXV0aG4uY3JlYXRlIn0',
    attestationObject: 'o2NmbXRkbm9uZWdhdHRTdG10oGhhdXRoRGF0YQ',
    transports: ['usb'],
  },
  clientExtensionResults: {},
}

export const AUTH_EXAMPLES = {
  AddPasskey: { name: 'Security key', credential: NEW_CREDENTIAL },
  ChangeFactorRule: { required_for: 'admins' },
  NewCredential: NEW_CREDENTIAL,
  NewPasskeyOptions: {
    rp: { id: 'control.example', name: 'Hosting Control' },
    user: {
      id: 'u5nKqQ2cXl0bTeVhS8wYzA',
      name: 'admin@example.com',
      displayName: 'Administrator',
    },
    challenge: CHALLENGE,
    pubKeyCredParams: [{ type: 'public-key', alg: -7 }],
    timeout: 300_000,
    attestation: 'none',
    excludeCredentials: [],
    authenticatorSelection: {
      residentKey: 'required',
      requireResidentKey: true,
      userVerification: 'required',
    },
  },
  OwnPasskeys: { passkeys: [PASSKEY], origin: 'https://control.example', problem: null },
  Passkey: PASSKEY,
  PasskeyLogin: { passkey: PROOF },
  PasskeyOptions: OPTIONS,
  PasskeyProof: PROOF,
  RenamePasskey: { name: 'Spare security key' },
  SecondFactor: { required_for: 'admins', required: true, present: true },
  ApiToken: {
    id: 2,
    name: 'deploy script',
    scope: 'operate',
    addresses: ['203.0.113.0/24'],
    only_for: [{ tag: null, server_id: 1, server: 'web-1', site_id: null, site: null }],
    created_at: AT,
    expires_at: '2027-02-18T14:05:02.000Z',
    last_used_at: AT,
    last_address: '203.0.113.7',
    refused: 0,
  },
  CallerRights: {
    role: 'operator',
    secrets: true,
    rights: ['own.read', 'own', 'client', 'read', 'restore', 'operate', 'login', 'secrets'],
    parts: [
      {
        tag: 'shop',
        server_id: null,
        site_id: null,
        rights: ['client', 'read', 'restore', 'operate', 'login', 'secrets', 'admin'],
      },
    ],
  },
  ChangePassword: {
    current_password: 'the old one, as it was',
    password: 'correct horse battery staple',
    end_tokens: true,
  },
  ChangeProfile: {
    name: 'Administrator',
    email: 'admin@example.com',
    password: 'correct horse battery staple',
  },
  ConfirmPassword: { password: 'correct horse battery staple' },
  CreateApiToken: {
    name: 'deploy script',
    password: 'correct horse battery staple',
    scope: 'operate',
    expires_in_days: 90,
    addresses: ['203.0.113.0/24'],
    only_for: [{ server_id: 1 }],
  },
  ChangeTotp: { password: 'correct horse battery staple', code: '287082' },
  ConfirmTotp: { code: '287082' },
  CurrentToken: {
    name: 'deploy script',
    scope: 'operate',
    role: 'operator',
    rights: ['own.read', 'client', 'read', 'restore', 'operate'],
    parts: [],
    addresses: ['203.0.113.0/24'],
    only_for: null,
    expires_at: '2027-02-18T14:05:02.000Z',
  },
  LimitPart: { tag: null, server_id: 1, server: 'web-1', site_id: null, site: null },
  StartTotp: { password: 'correct horse battery staple' },
  TotpState: { enabled: true, since: AT, recovery_codes_left: 10 },
  Login: { email: 'admin@example.com', password: 'correct horse battery staple' },
  RequestReset: { email: 'admin@example.com' },
  ResetPassword: {
    token: 'Zk3bYwqS0v9l1nXo5tQ2Rr8cUeJ7hGdM4aPfLxIyTsE',
    password: 'correct horse battery staple',
  },
  Session: {
    id: 'b3JkaW5hcnktc2Vzc2lvbi',
    device: 'Firefox on Linux',
    address: '203.0.113.7',
    created_at: AT,
    last_used_at: AT,
    is_current: true,
  },
  User: { id: 1, email: 'admin@example.com', name: 'Administrator' },
}
