import { Link } from '@tanstack/react-router'

/** The beginning of a sentence, with a link to the backups of the site. */
export const BackUpFirst = ({ site_id }: { site_id: number }) => (
  <>
    Back it up first in{' '}
    <Link
      to="/sites/$site_id"
      params={{ site_id: String(site_id) }}
      search={{ tab: 'backups' }}
      className="underline"
    >
      its backups
    </Link>
  </>
)
