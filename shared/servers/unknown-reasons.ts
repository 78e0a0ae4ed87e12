import type { UnknownUpdates } from '#shared/kernel/inventory.ts'

/** The reasons why an agent does not know a value of a discovered site or of its updates. */
export type UnknownReason =
  | UnknownUpdates
  | 'certificate_unreadable'
  | 'computed'
  | 'elsewhere'
  | 'fixed_answer'
  | 'folder_missing'
  | 'module_version'
  | 'no_answer'
  | 'no_certificate_yet'
  | 'no_folder'
  | 'no_plain_value'
  | 'no_pool'
  | 'nothing_readable'
  | 'other_program'
  | 'pool_version'
  | 'proxied'
  | 'wrapper'

/** The reasons by the names of the fields that are unknown. */
export type Unknown = Readonly<Record<string, UnknownReason>>
