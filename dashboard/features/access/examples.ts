import { AT } from '#dashboard/kernel/http/example-values.ts'

const fingerprint = 'SHA256:+DiY3wvvV6TuJJhbpZisF/zLDA0zPMSvHdkr4UvCOqU'
const host_keys = [{ type: 'ssh-ed25519', fingerprint }]
const grant = { kind: 'sftp', expires_at: '2027-01-31T18:00:00Z' }
const KEY = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJKKKB6NaWhEc2RRm7JSMbQ8pZzBbjpYPDfyMoZ9bMUH anna'

const Person = {
  id: 1,
  name: 'Anna Weber',
  created_at: AT,
  keys: [{ id: 1, type: 'ssh-ed25519', fingerprint, comment: 'anna', created_at: AT }],
  sites: [{ site_id: 1, server_id: 1, domain: 'shop.example', ...grant, applied: true }],
}

const ClientAccount = {
  token: 'k2v7x4q7',
  label: 'Print shop',
  login: 'shop.k2v7x4q7',
  expires_at: null,
}

export const ACCESS_EXAMPLES = {
  Person,
  CreatePerson: { name: 'Anna Weber' },
  AddKey: { key: KEY },
  SetAccess: { grants: [{ person_id: 1, ...grant }] },
  SiteAccess: {
    grants: [{ person_id: 1, name: 'Anna Weber', ...grant, keys: 1, applied: true }],
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
      },
    ],
  },
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
}
