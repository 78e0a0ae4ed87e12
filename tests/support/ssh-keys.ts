/** Public keys that nobody has the private key of any more, and what ssh-keygen(1) prints for them. */
export const ANNA =
  'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIEjMtcI3X4OGaXHKLfQC/K5eK8TuapyGab/0dnDVtsWV'
export const ANNA_FINGERPRINT = 'SHA256:ONu0aiDRUKJjgmaxLlfnwcLBSHW9ktRdgsGz6Hp9lhs'
export const BEN =
  'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIO+jraupGpL+erW88CiTHVvQQXzuanwWTIsNqGj4UAnn'
export const BEN_FINGERPRINT = 'SHA256:s3iyCgm2KrpFpfLBUKf0jflcpAP0qw/HE8lYGVHgeZM'

export const RSA_2048 = [
  'ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABAQCnWQPofQz35LE1X03wrA03tz132RWE0d0SEymYAu4sVLZjRPSnny',
  'xRsdorys0NM6Fnmsbfq5IqX/OwO1dw+JY3ZHWGynlK7LQW6ZJ/bej5bWhUSIalIe9Z+n/zKQE2Wu/Xj/8xiZmlgZz3',
  'iVgiHd9B4bmKHjhO/Ad9xHoWL9sktYhtagwqXOAlOXoEOdE6CkgdFF2xModfIdv3sAATwiUH8vBBZwq3AtTFlx5SJU',
  '5p+lBVvXjhHri3bXvi/CcxsAtMeNZ6zQBu1YYTfhd69EUz0b1QIVfKRF4mZIsGoZiDlQqDq9m8Qe+fOi94BcVAqBLb',
  'kdNBwFfnR5D5swuC1jPp',
].join('')
export const RSA_1024 = [
  'ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAAAgQDnRGh++sXUUyMGpRygEli+II9Np6ySnsuFVpKbb3apF8Z0d6tr1X',
  'ADZjQwRJqrmyNbUztUsdNKKjBXGz3pYJrH20epDHUHG9ZCdknW2n0WOsn8yuYvL/9TBqbiiGPmE/2Ad9PbaqEfag+R',
  'YaOheqRBF2+YcbjyMshHLZnEr6H+TQ==',
].join('')
export const ECDSA = [
  [
    'ecdsa-sha2-nistp256 AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAIbmlzdHAyNTYAAABBBHfJVIkmy77Mefm38i',
    'O7wLqMYHKTvvPYDlNXnFZA1mFb5H/7sliUisAK8Bbvpsv7BrEEnOUIZiivM3o8PQmgVjM=',
  ].join(''),
  [
    'ecdsa-sha2-nistp384 AAAAE2VjZHNhLXNoYTItbmlzdHAzODQAAAAIbmlzdHAzODQAAABhBLO+R4eV9n/YPfcg+4',
    'yBR/vP8RVTu74Ftj0XhyzmN6s6oLfbGmOC25tPXkhmpxRJwJnWwZJ5AprhRC4WXDVLLd+mWKdIBfPslayOR5HSWN7D',
    'tAmZFWM+kJKrW4ttIDH14g==',
  ].join(''),
  [
    'ecdsa-sha2-nistp521 AAAAE2VjZHNhLXNoYTItbmlzdHA1MjEAAAAIbmlzdHA1MjEAAACFBAFLyF2OlLKvs2ca8l',
    '8zOOu2i7UoEDQN2seFY1nTf9EkKfMNdQcjVulNr4MHmtbVqoPC6gbC8L4iKYz7Cl7xdh0ofAH3im6BbsYreexBmLnL',
    'JuGiZDTgyawuDHJwK2oabH6tDF3QJFIi2o1oegzsVM3DGYL/8SnALZ14ipVAn5SLhQ0Btg==',
  ].join(''),
]

/** What a security key with a fixed secret would print: RFC 4251, PROTOCOL.u2f of OpenSSH. */
export function securityKey(type: string, ...fields: Uint8Array[]): string {
  const parts = [new TextEncoder().encode(type), ...fields].flatMap((field) => {
    const length = Buffer.alloc(4)
    length.writeUInt32BE(field.length)
    return [length, Buffer.from(field)]
  })
  return `${type} ${Buffer.concat(parts).toString('base64')}`
}
