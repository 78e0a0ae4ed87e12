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

export const DOMAIN_EXAMPLES = {
  SetDomains: { ...names, accept: [], dry_run: false },
  SiteDomains: { primary: 'shop.example', ...names },
  SiteDomainsComplete: { status: 'ok', domain: 'shop.example', ...names },
}
