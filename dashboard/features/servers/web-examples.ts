const WebProgram = {
  program: 'apache2',
  ports: [80],
  understood: true,
  reason: null,
}
const UnnamedSite = {
  names: ['*.preview.example'],
  closed: false,
  docroot: '/var/www/preview',
  user: 'preview',
  php: '',
  tls: 'none',
  framework: 'php',
  wp_version: '',
  unknown: { php: 'no_pool' },
}

export const WEB_EXAMPLES = {
  WebProgram,
  UnnamedSite,
  ServerWeb: {
    at: '2026-03-01T09:00:00.000Z',
    web: { programs: [WebProgram], unnamed: [UnnamedSite], unnamed_total: 1 },
  },
}
