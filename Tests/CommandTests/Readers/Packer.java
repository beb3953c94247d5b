import java.io.FileOutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.CRC32;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/**
 * Packs the working folder, as the Android app does: deflated, with the sizes behind the data; or stored, with
 * the sizes in front.
 *
 * Run by: java Packer.java ARCHIVE stored|deflated
 */
public class Packer {
  public static void main(String[] arguments) throws Exception {
    boolean isStored = arguments[1].equals("stored");
    Path folder = Path.of(".");
    List<Path> files;
    try (Stream<Path> paths = Files.walk(folder)) {
      files = paths.filter(Files::isRegularFile).sorted().toList();
    }
    try (ZipOutputStream archive = new ZipOutputStream(new FileOutputStream(arguments[0]))) {
      for (Path file : files) {
        byte[] bytes = Files.readAllBytes(file);
        ZipEntry entry = new ZipEntry(folder.relativize(file).toString());
        if (isStored) {
          CRC32 crc = new CRC32();
          crc.update(bytes);
          entry.setMethod(ZipEntry.STORED);
          entry.setSize(bytes.length);
          entry.setCrc(crc.getValue());
        }
        archive.putNextEntry(entry);
        archive.write(bytes);
        archive.closeEntry();
      }
    }
  }
}
