import { CheckField } from '#dashboard/web/ui/check.tsx'
import { useSave } from './use-save.ts'

export function SiteShell({ value }: { value: boolean }) {
  const { save, isPending } = useSave('site_shell', 'Shells of sites')
  return (
    <CheckField
      label="Shells of sites"
      about="People with access to a site can be given a shell in its sandbox, beside SFTP. Turning this off takes no shell away."
      checked={value}
      disabled={isPending}
      onChange={save}
    />
  )
}
