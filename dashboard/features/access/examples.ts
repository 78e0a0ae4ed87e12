import { AT } from '#dashboard/kernel/http/example-values.ts'

const fingerprint = 'SHA256:+DiY3wvvV6TuJJhbpZisF/zLDA0zPMSvHdkr4UvCOqU'
const host_keys = [{ type: 'ssh-ed25519', fingerprint }]
const TOKEN = 'Zk3bYwqS0v9l1nXo5tQ2Rr8cUeJ7hGdM4aPfLxIyTsE'
const grant = { kind: 'sftp', expires_at: '2027-01-31T18:00:00Z' }
const KEY = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJKKKB6NaWhEc2RRm7JSMbQ8pZzBbjpYPDfyMoZ9bMUH anna'

const HeldPartGrant = {
  gives: 'admin',
  tag: 'shop',
  server_id: null,
  server: null,
  site_id: null,
  site: null,
}

const GroupRights = {
  id: 3,
  name: 'Shop team',
  role: null,
  secrets: false,
  parts: [HeldPartGrant],
}

const PersonAccount = {
  user_id: 2,
  email: 'anna@example.com',
  role: 'operator',
  secrets: false,
  parts: [HeldPartGrant],
  groups: [GroupRights],
  state: 'active',
  invited_until: null,
  invited_by: null,
  created_at: AT,
  last_login_at: AT,
}

const Person = {
  id: 1,
  name: 'Anna Weber',
  created_at: AT,
  account: PersonAccount,
  keys: [{ id: 1, type: 'ssh-ed25519', fingerprint, comment: 'anna', created_at: AT }],
  sites: [
    { site_id: 1, server_id: 1, domain: 'shop.example', ...grant, applied: true, ending: false },
  ],
}

const ClientAccount = {
  token: 'k2v7x4q7',
  label: 'Print shop',
  login: 'shop.k2v7x4q7',
  expires_at: null,
}

export const ACCESS_EXAMPLES = {
  Person,
  PersonAccount,
  HeldPartGrant,
  WhoMay: {
    person_id: 1,
    name: 'Anna Weber',
    email: 'anna@example.com',
    rights: ['client', 'read', 'restore', 'operate'],
    grants: [{ gives: 'operator', tag: 'shop', server_id: null, site_id: null, group: null }],
  },
  GroupRights,
  Group: {
    ...GroupRights,
    members: [{ user_id: 2, person_id: 1, name: 'Anna Weber' }],
    made_at: AT,
  },
  GroupMember: { user_id: 2, person_id: 1, name: 'Anna Weber' },
  CreateGroup: {
    name: 'Shop team',
    role: null,
    secrets: false,
    parts: [{ gives: 'operator', tag: 'shop' }],
    members: [2],
  },
  ChangeGroup: { members: [2, 7] },
  CreateServiceAccount: { name: 'deploy robot', role: 'operator', secrets: false, parts: [] },
  ChangeServiceAccount: { role: 'viewer', parts: [{ gives: 'operator', tag: 'shop' }] },
  CreateServiceToken: {
    name: 'CI',
    scope: 'operate',
    expires_in_days: 90,
    addresses: ['203.0.113.0/24'],
    only_for: [{ tag: 'shop' }],
  },
  ServiceAccount: {
    id: 7,
    name: 'deploy robot',
    role: 'operator',
    secrets: false,
    parts: [],
    groups: [],
    state: 'active',
    created_at: AT,
    tokens: [],
  },
  InvitePerson: {
    email: 'anna@example.com',
    role: 'operator',
    secrets: false,
    parts: [{ gives: 'admin', tag: 'shop' }],
  },
  SentInvitation: {
    link: `https://control.example.com/invitation#${TOKEN}`,
    expires_at: AT,
    mailed: true,
    mail_problem: null,
  },
  ChangeAccount: { role: null, parts: [{ gives: 'operator', site_id: 1 }] },
  ShowInvitation: { token: TOKEN },
  Invitation: {
    email: 'anna@example.com',
    name: 'Anna Weber',
    role: 'operator',
    secrets: false,
    parts: [HeldPartGrant],
    invited_by: 'admin@example.com',
    expires_at: AT,
  },
  AcceptInvitation: {
    token: TOKEN,
    name: 'Anna Weber',
    password: 'correct horse battery staple',
  },
  AcceptedInvitation: { email: 'anna@example.com' },
  CreatePerson: { name: 'Anna Weber' },
  AddKey: { key: KEY },
  SetAccess: { grants: [{ person_id: 1, ...grant }] },
  SiteAccess: {
    grants: [{ person_id: 1, name: 'Anna Weber', ...grant, keys: 1, applied: true, ending: false }],
    login: { host: 'web-1.example', ports: [22], user: 'shop', shell_user: null, host_keys },
    clients: [{ ...ClientAccount, applied: true }],
    logins: [
      {
        at: AT,
        ended_at: null,
        address: '203.0.113.7',
        fingerprint,
        person: 'Anna Weber',
        client: null,
        kind: 'sftp',
      },
    ],
    settings: { site_shell: false, client_accounts: true },
  },
  SiteSession: {
    id: '4711-1767268800000000',
    at: AT,
    kind: 'sftp',
    address: '203.0.113.7',
    who: `Anna Weber, key ${fingerprint}`,
  },
  EndSiteSession: { id: '4711-1767268800000000' },
  CreateClientAccount: { label: 'Print shop', expires_at: '2027-01-31T18:00:00Z' },
  ResetClientPassword: { token: 'k2v7x4q7' },
  EndClientAccount: { token: 'k2v7x4q7', dry_run: false },
  ClientLogin: {
    ...ClientAccount,
    password: 'r9PzkW3vQe0uYt7LbGx5MdSn',
    host: 'web-1.example',
    ports: [22],
    host_keys,
  },
  SiteAccessComplete: {
    status: 'ok',
    domain: 'shop.example',
    user: 'shop',
    shell_user: null,
    ports: [22],
    host_keys,
    grants: [{ id: 1, ...grant, fingerprints: [fingerprint] }],
    clients: [{ token: ClientAccount.token, login: ClientAccount.login, expires_at: null }],
  },
  CreateIdentityProvider: {
    key: 'keycloak',
    name: 'Keycloak',
    issuer: 'https://login.example.com/realms/staff',
    client_id: 'hosting-control',
    client_secret: 'Zk3bYwqS0v9l1nXo5tQ2Rr8cUeJ7hGdM',
    claim: 'groups',
    roles: [{ value: 'hosting-operators', role: 'operator' }],
  },
  UpdateIdentityProvider: { is_enabled: false },
  IdentityProvider: {
    key: 'keycloak',
    name: 'Keycloak',
    issuer: 'https://login.example.com/realms/staff',
    client_id: 'hosting-control',
    scope: 'openid email profile',
    is_enabled: true,
    own_factor: false,
    claim: 'groups',
    roles: [{ value: 'hosting-operators', role: 'operator' }],
    redirect_uri: 'https://control.example.com/sso/keycloak',
    accounts: 3,
    only_way: 1,
    created_at: AT,
  },
  ProviderTest: { problems: ['The provider does not support PKCE with the method S256'] },
  LoginProvider: { key: 'keycloak', name: 'Keycloak' },
  StartSso: { provider: 'keycloak', to: '/sites' },
  StartLink: { provider: 'keycloak' },
  SsoRedirect: {
    url: 'https://login.example.com/realms/staff/protocol/openid-connect/auth?client_id=hosting-control',
  },
  FinishSso: { provider: 'keycloak', query: '?code=SplxlOBeZQQYbYS6WxSbIA&state=af0ifjsldkj' },
  FinishSsoCode: { state: 'af0ifjsldkj', code: '287082' },
  FinishedSso: {
    user: { id: 2, email: 'anna@example.com', name: 'Anna Weber' },
    purpose: 'login',
    to: '/sites',
  },
  Identity: { id: 1, provider: 'Keycloak', label: 'anna@example.com', linked_at: AT },
}
