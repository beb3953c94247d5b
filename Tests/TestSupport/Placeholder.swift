import Backup
