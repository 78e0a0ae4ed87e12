import { CheckField } from '#dashboard/web/ui/check.tsx'
import { useSave } from './use-save.ts'

export function ClientAccounts({ value }: { value: boolean }) {
  const { save, isPending } = useSave('client_accounts', 'Client accounts')
  return (
    <CheckField
      label="Client accounts"
      about="Sites can be given SFTP accounts with a password, for clients without an SSH key. Turning this off does not remove existing accounts."
      checked={value}
      disabled={isPending}
      onChange={save}
    />
  )
}
