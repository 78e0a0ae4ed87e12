/**
 * The ciphers of TLS 1.2 with forward secrecy and authenticated encryption: those of Mozilla's
 * "intermediate" that need no parameters of Diffie-Hellman. nginx's default also offers CBC with SHA-1.
 */
export const TLS_CIPHERS = [
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-RSA-CHACHA20-POLY1305',
].join(':')
