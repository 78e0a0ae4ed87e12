const noObject = [7, true, [], 'x']
const paths = ['', '/', 'members', '/a b', '/a/', '/"', '/$', '/;', '/a\n', `/${'a'.repeat(200)}`]
const cookies = ['', 'a b', 'a;', '"', '$', 'a\n', '\u00e9', 'x'.repeat(65)]
const addresses = [
  '',
  'x',
  '1.2.3',
  '1.2.3.4/33',
  '::1/129',
  'example.com',
  '1.2.3.4;',
  '1.2.3.4 1',
]
const values = [
  ['memory_limit', '1G'],
  ['auto_prepend_file', '/etc/passwd'],
  ['open_basedir', '/'],
  ['extension', 'x.so'],
  ['short_open_tag', '1'],
  ['max_file_uploads', '50; x'],
  ['max_file_uploads', '201'],
  ['session.cookie_samesite', 'Lax"'],
  ['disable_functions', 'exec\nlisten=/x'],
]

/** Values that each param of the settings of a site refuses. */
export const hostileSettings = {
  page_purge: [7, 'true', [], {}],
  csp: [...noObject, '', 'none', "default-src 'self'", 'off\n'],
  hsts: [...noObject, '', 'On', 'max-age=1', 'off\n'],
  trusted_cdn: [...noObject, '', 'cloudflare', 'Akamai', 'Cloudflare\n'],
  maintenance: [
    ...noObject,
    ...addresses.map((address) => ({ allow: [address] })),
    ...[{ allow: ['::1', '::1'] }, { allow: '::1' }, { message: 7 }, { message: 'x'.repeat(301) }],
    { message: 'a\0' },
  ],
  basic_auth: [
    ...noObject,
    ...[{}, { user: 'a' }, { user: 'a:b', password_hash: `{SSHA}${'a'.repeat(40)}` }],
    ...['', 'x', '{SSHA}a\n', '$1$a$b'].map((password_hash) => ({ user: 'a', password_hash })),
  ],
  php_settings: [
    ...noObject,
    ...[{ memory_limit: '128' }, { memory_limit: 1.5 }, { memory_limit: 63 }, { upload: 0 }],
    ...[{ execution_time: 3601 }, { input_vars: 1 }, { values: 7 }, { values: { precision: 7 } }],
    ...values.map(([name = '', value]) => ({ values: { [name]: value } })),
  ],
  page_cache: [
    ...noObject,
    ...paths.map((path) => ({ paths: [path] })),
    ...cookies.map((cookie) => ({ cookies: [cookie] })),
    ...[{ enabled: 'yes' }, { paths: '/a' }, { paths: ['/a', '/a'] }],
  ],
}

export const validSettings = {
  trusted_cdn: 'Cloudflare',
  page_purge: true,
  csp: 'report',
  hsts: 'subdomains',
  maintenance: { allow: ['203.0.113.0/24'], message: '' },
  basic_auth: null,
  php_settings: { memory_limit: 128, values: { precision: '14' } },
  page_cache: { enabled: true, paths: ['/members'], cookies: ['member_'] },
}
