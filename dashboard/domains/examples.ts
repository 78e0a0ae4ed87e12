const names = {
  www: 'serve',
  aliases: ['shop.example.net'],
  redirects: [
    {
      ...{ domain: 'old-shop.example', to: 'https://shop.example/welcome' },
      ...{ status: 301, keep_path: false },
    },
  ],
}

const NameState = {
  ...{ name: 'shop.example', dns: 'here', cdn: null, records: ['192.0.2.10'] },
  certificate: { state: 'active', reason: '', next_at: null },
}

export const DOMAIN_EXAMPLES = {
  NameState,
  DomainStates: {
    ...{ expected: ['192.0.2.10'], self_signed: false, expires_at: '2027-02-01T00:00:00.000Z' },
    names: [
      NameState,
      {
        ...{ name: 'shop.example.net', dns: 'none', cdn: null, records: [] },
        certificate: {
          state: 'blocked',
          reason: 'it has no A and no AAAA record in DNS',
          next_at: '2026-11-23T12:00:00.000Z',
        },
      },
    ],
  },
  SetDomains: { ...names, accept: [], dry_run: false },
  SiteDomains: { primary: 'shop.example', ...names },
  SiteDomainsComplete: { status: 'ok', domain: 'shop.example', ...names },
}
