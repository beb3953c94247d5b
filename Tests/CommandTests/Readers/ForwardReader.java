import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.FileInputStream;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;

/**
 * Reads an archive forward, as the Android app does: from the local headers, without the directory at its end.
 * Every entry's MD5 must stand in checksums.md5, which comes last. Prints how many entries there were.
 *
 * Run by: java ForwardReader.java ARCHIVE
 */
public class ForwardReader {
  public static void main(String[] arguments) throws Exception {
    Map<String, String> found = new HashMap<>();
    String checksums = null;
    try (InputStream file = new BufferedInputStream(new FileInputStream(arguments[0]));
        ZipInputStream archive = new ZipInputStream(file)) {
      for (ZipEntry entry; (entry = archive.getNextEntry()) != null; ) {
        String name = entry.getName();
        if (name.contains("..") || name.startsWith("/") || entry.isDirectory()) fail("refused: " + name);
        if (entry.getMethod() == ZipEntry.STORED && entry.getSize() < 0) fail("no size: " + name);
        byte[] bytes = archive.readAllBytes();
        if (name.equals("checksums.md5")) {
          checksums = new String(bytes, StandardCharsets.UTF_8);
        } else {
          byte[] md5 = MessageDigest.getInstance("MD5").digest(bytes);
          if (found.put(name, HexFormat.of().formatHex(md5)) != null) fail("twice: " + name);
        }
      }
    }
    if (checksums == null) fail("no checksums.md5");
    for (String line : checksums.split("\n")) {
      String name = line.substring(34);
      String md5 = found.remove(name);
      if (!line.substring(0, 32).equals(md5)) fail("MD5 of " + name + " is " + md5);
      System.out.println(name);
    }
    if (!found.isEmpty()) fail("without checksum: " + found.keySet());
  }

  private static void fail(String message) {
    System.err.println(message);
    System.exit(1);
  }
}
