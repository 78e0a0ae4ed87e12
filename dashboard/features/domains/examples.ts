const names = {
  www: 'serve',
  aliases: ['shop.example.net'],
  redirects: [
    {
      domain: 'old-shop.example',
      to: 'https://shop.example/welcome',
      status: 301,
      keep_path: false,
    },
  ],
}

const addresses = {
  replaced: 1204,
  left: [
    {
      table: 'wp_posts',
      column: 'guid',
      reason: 'skipped',
      count: 212,
      examples: ['https://shop.example/?p=7'],
    },
  ],
}

const NameState = {
  name: 'shop.example',
  dns: 'here',
  cdn: null,
  records: ['192.0.2.10'],
  certificate: { state: 'active', reason: '', next_at: null },
}

export const DOMAIN_EXAMPLES = {
  NameState,
  DomainStates: {
    expected: ['192.0.2.10'],
    self_signed: false,
    expires_at: '2027-02-01T00:00:00.000Z',
    names: [
      NameState,
      {
        name: 'shop.example.net',
        dns: 'none',
        cdn: null,
        records: [],
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
  PreviewPrimary: { primary: 'shop.example.net' },
  SetPrimary: { primary: 'shop.example.net', former: 'redirect', accept: [], dry_run: false },
  SiteRenamePreviewComplete: {
    status: 'ok',
    domain: 'shop.example',
    primary: 'shop.example.net',
    rows: 48_211,
    ...addresses,
    files: ['wp-config.php'],
    tables: [
      {
        name: 'wp_options',
        rows: 412,
        columns: [{ name: 'option_value', values: 19, replaced: 44, serialized: 31 }],
      },
    ],
  },
  SiteRenameComplete: {
    status: 'ok',
    domain: 'shop.example.net',
    former: 'shop.example',
    addresses,
    www: 'serve',
    aliases: [],
    redirects: ['shop.example', 'www.shop.example'].map((domain) => ({
      domain,
      status: 301,
      keep_path: true,
    })),
  },
}
